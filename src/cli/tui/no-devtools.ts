// Stands in for ink's optional developer tools in the bundle: a product never loads them.
export default { initialize: () => undefined, connectToDevTools: () => undefined };
