const EMPTY = Buffer.alloc(0);

/** The bytes of a response up to a limit. */
export class ResponseBody {
  /** Bytes that arrived, those beyond the limit included. */
  received = 0;
  private readonly chunks: Buffer[] = [];

  constructor(private readonly limit: number) {}

  /** Keeps as much of the chunk as there is room for. */
  add(chunk: Buffer): void {
    const room = this.limit - this.received;
    this.received += chunk.length;
    if (chunk.length <= room) this.chunks.push(chunk);
    // A copy, because a part would hold the whole chunk in memory, up to 16 KiB.
    else if (room > 0) this.chunks.push(Buffer.from(chunk.subarray(0, room)));
  }

  toBuffer(): Buffer {
    const [first, ...rest] = this.chunks;
    if (first === undefined) return EMPTY;
    // Most responses are one chunk.
    return rest.length === 0 ? first : Buffer.concat(this.chunks);
  }
}
