// Even an old Node can run this file and print its message: it imports nothing before the check and uses nothing newer
// than import(). scripts/lib/paths.mjs has the same rule.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isEnough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;

if (isEnough) {
  void import('./composition/process.js');
} else {
  const found = process.versions.node;
  process.stderr.write(`latchkey: Node.js 20.19 or newer is needed (24 is recommended); this is ${found}.\n`);
  process.exit(1);
}
