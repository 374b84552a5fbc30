// Package cputime measures what marks for one core mean, also on a machine that others use.
package cputime

import (
	"syscall"
	"time"
)

// Used is the time that this process has been computing, in all its threads.
func Used() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // of itself it is never refused
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
