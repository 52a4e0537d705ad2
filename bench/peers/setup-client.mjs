/**
 * Calls of the API of a peer that prepare it, with JSON both ways.
 * @param {string} base address that paths are put behind
 * @param {Readonly<Record<string, string>>} headers
 * @returns {(method: string, path: string, body: object) => Promise<any>} throws for an answer that is no success
 */
export const setupClient = (base, headers) => async (method, path, body) => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
};
