package replay

// expectEdits are what the operator expects of the last backend.
var expectEdits = []Edit{
	{
		Name: "speculation-expected", About: "the operator expects the last backend to draft",
		Recording: configure("    expect: {speculation: true}\n"),
	},
	{
		Name: "speculation-not-expected", About: "the operator expects the last backend not to draft",
		Recording: configure("    expect: {speculation: false}\n"),
	},
	{
		Name: "another-model-expected", About: "the operator expects the last backend to serve a model that it has not",
		Recording: configure("    expect: {models: [large]}\n"),
	},
	{
		Name: "its-model-expected", About: "the operator expects the last backend to serve the model that it has",
		Recording: configure("    expect: {models: [small]}\n"),
	},
	{
		Name: "three-replicas-expected", About: "the operator expects the last backend, a router, to have three replicas",
		Recording: configure("    expect: {replicas: 3}\n"),
	},
	{
		Name: "two-replicas-expected", About: "the operator expects the last backend, a router, to have two replicas",
		Recording: configure("    expect: {replicas: 2}\n"),
	},
	{
		Name: "a-model-expected-in-memory", About: "the operator expects the last backend to have a model in memory",
		Recording: configure("    expect: {loaded: true}\n"),
	},
}
