/** `resource:action`, without wildcards. */
const PERMISSION = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}:[A-Za-z0-9][A-Za-z0-9._-]{0,27}$/;

export function isPermission(text: string): boolean {
  return PERMISSION.test(text);
}
