/** What identity stores in cookies: secrets as `newSecret` makes them. */
const VALUE = /^[\w-]{43}$/;

/** What the browser presents under a name; undefined without it. @param header `Cookie` */
export function presentedCookie(name: string, header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const values = pairs.filter(([found]) => found === name).map(([, value]) => value);
  // Two would mean that one was planted.
  return values.length === 1 && VALUE.test(values[0] ?? '') ? values[0] : undefined;
}
