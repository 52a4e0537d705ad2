/**
 * Characters of calls or replies in one message. A character takes at most three bytes, so that a message stays below the
 * broker's limit of 1 MiB; one that is longer by itself goes by itself.
 */
const MAX_CHARACTERS = 256 * 1024;

/**
 * Calls or replies in one message: what one turn of an event loop handles without a noticeable wait for others. The broker lets a
 * server reply as often to a message, because each reply may be ready at another time.
 */
export const MAX_PARTS = 64;

/** What is collected in one turn of the event loop, handed on in portions that fit one message each. */
export class Batch<Part extends { readonly text: string }> {
  private parts: Part[] = [];

  /** @param send never throws */
  constructor(private readonly send: (portion: readonly Part[]) => void) {}

  add(part: Part): void {
    this.parts.push(part);
    if (this.parts.length === 1) setImmediate(() => this.flush());
  }

  /** Hands on what is there, without waiting for the end of the turn. */
  flush(): void {
    const parts = this.parts;
    if (parts.length === 0) return;
    this.parts = [];
    let first = 0;
    let characters = 0;
    for (const [index, { text }] of parts.entries()) {
      if (index > first && (index - first === MAX_PARTS || characters + text.length > MAX_CHARACTERS)) {
        this.send(parts.slice(first, index));
        first = index;
        characters = 0;
      }
      characters += text.length;
    }
    this.send(parts.slice(first));
  }
}

/** A JSON array of parts that are JSON already. */
export const arrayOf = (parts: readonly { readonly text: string }[]): string =>
  `[${parts.map(({ text }) => text).join(',')}]`;
