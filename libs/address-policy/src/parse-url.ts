/**
 * Parses a URL with the WHATWG parser; undefined when the text is not a URL. Replaces `URL.canParse`, which in Node 20
 * gives wrong answers for non-ASCII letters once it has been optimised: after some thousand calls it rejects
 * `https://bücher.de/`.
 * @param base the URL that a relative one is resolved against
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch (error) {
    // The constructor throws nothing else for strings. Compared by name because the error may come from another realm.
    if ((error as Error).name === 'TypeError') return undefined;
    throw error;
  }
}
