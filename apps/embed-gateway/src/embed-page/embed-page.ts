/**
 * Content-Security-Policy of the page. Only the app's declared origins may frame it; without origins, nobody. Scripts and styles
 * come from files of this address alone, so that no nonce is needed: nothing inline runs, not even with one that was guessed.
 * @param origins canonical origins
 * @param apiOrigin the only address that the page may call, and send the token to
 */
export function contentSecurityPolicy(origins: readonly string[], apiOrigin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length > 0 ? origins.join(' ') : "'none'"}`,
  ].join('; ');
}

/**
 * The document with what the page has to know: who may speak to it, and where the API is. The settings are attributes of the
 * element of the document, so that no inline script is needed.
 * @param built the document as it was built
 * @param origins that may frame the page
 */
export const embedPage = (built: string, origins: readonly string[], apiUrl: string): string =>
  built.replace(
    '<html ',
    () => `<html data-origins="${attribute(origins.join(' '))}" data-api="${attribute(apiUrl)}" `,
  );

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
