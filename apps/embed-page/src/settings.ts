/** What the server that delivers the page tells it, as attributes of the element of the document. */
export interface Settings {
  /** Origins that may frame the page and speak to it. */
  readonly allowedOrigins: readonly string[];
  /** Origin of the API. */
  readonly apiUrl: string;
}

export function readSettings({ dataset }: HTMLElement): Settings {
  return { allowedOrigins: (dataset.origins ?? '').split(' ').filter(Boolean), apiUrl: dataset.api ?? '' };
}
