const UUID_BYTES = 16;

/** What is presented before its tenant is known names the tenant itself. It proves nothing. */
export function packIds(...ids: readonly string[]): string {
  return Buffer.concat(ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))).toString('base64url');
}

/** @returns the ids, or undefined when the text is not `count` packed ids */
export function unpackIds(text: string, count: number): string[] | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== count * UUID_BYTES || bytes.toString('base64url') !== text) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const hex = bytes.subarray(index * UUID_BYTES, (index + 1) * UUID_BYTES).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  });
}

/** What the link in a mail, or a browser, presents: a row and the secret that proves it. */
export const packToken = (tenantId: string, id: string, secret: string): string => `${packIds(tenantId, id)}.${secret}`;

/** @returns undefined for a text that names no row */
export function unpackToken(token: string): { tenantId: string; id: string; secret: string } | undefined {
  const [ids = '', secret = ''] = token.split('.');
  const [tenantId, id] = unpackIds(ids, 2) ?? [];
  return tenantId && id ? { tenantId, id, secret } : undefined;
}
