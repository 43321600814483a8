/** Stands for every style sheet. A class of a CSS module has its own name. */
export default new Proxy({}, { get: (_, name) => name });
