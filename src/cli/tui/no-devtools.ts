// Replaces ink's optional developer tools in the bundle.
export default { initialize: () => undefined, connectToDevTools: () => undefined };
