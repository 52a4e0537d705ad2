/**
 * The API name of an object in a tenant. In a sandbox it starts with `sbx_`. If another installation of the tenant has the
 * name, the app's key (with `_` for characters that an API name cannot contain) is put in front; if that is taken too, a
 * number follows.
 */
export function tenantApiName(
  declared: string,
  appKey: string,
  sandbox: boolean,
  isTaken: (apiName: string) => boolean,
): string {
  const prefix = sandbox ? 'sbx_' : '';
  const plain = `${prefix}${declared}`;
  if (!isTaken(plain)) return plain;
  const qualified = `${prefix}${appKey.toLowerCase().replace(/[^a-z0-9_]/g, '_')}_${declared}`;
  if (!isTaken(qualified)) return qualified;
  for (let number = 2; ; number += 1) {
    const numbered = `${qualified}_${number}`;
    if (!isTaken(numbered)) return numbered;
  }
}
