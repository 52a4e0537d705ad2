/**
 * The api-name an object gets in a tenant. A sandbox install prefixes `sbx_`. When another installation of the tenant
 * has the name already, the app's key (with `_` for what an api-name cannot contain) comes before it; should that be
 * taken too, a number follows.
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
