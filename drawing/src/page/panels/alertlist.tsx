// Alerts that are pending or firing, by the series that Prometheus keeps of them.
import { useEffect, useState } from 'react';
import { instant, type Sample } from '../prometheus';
import type { ViewProps } from './view';

const hidden = new Set(['__name__', 'alertname', 'alertstate', 'job']);

export function AlertListView({ panel, ctx }: ViewProps) {
  const [alerts, setAlerts] = useState<Sample[]>([]);
  const wanted = panel.options?.stateFilter ?? { firing: true, pending: true };
  useEffect(() => {
    const states = ['firing', 'pending'].filter((s) => wanted[s] !== false).join('|');
    void instant(`ALERTS{alertstate=~"${states}"}`, ctx.range.to.valueOf() / 1000).then(setAlerts);
  }, []);
  return (
    <ul style={{ listStyle: 'none', height: '100%', overflow: 'auto' }}>
      {alerts.map(({ metric }) => (
        <li key={JSON.stringify(metric)}>
          <strong>{metric.alertname}</strong> {metric.alertstate} {Object.entries(metric).filter(([k]) => !hidden.has(k)).map(([k, v]) => `${k}=${v}`).join(' ')}
        </li>
      ))}
    </ul>
  );
}
