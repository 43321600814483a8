// paths.mjs, and so every script, imports this first: an old Node ends with this line, not with a call that it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const enough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;

if (!enough) {
  console.error(`Latchkey needs Node.js 20.19 or newer (24 is recommended); this is ${process.versions.node}.`);
  process.exit(1);
}
