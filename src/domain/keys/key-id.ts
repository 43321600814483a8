const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text can be a key's id: a UUID in lower case. */
export function isKeyId(text: string): boolean {
  return UUID.test(text);
}
