import { createSocket } from 'node:dgram';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_TXT = 16;
const NXDOMAIN = 3;

/** A name server on a free port of loopback that answers for TXT and A records (RFC 1035 over UDP). */
export class TextServer {
  /** By name. A name that is not here does not exist. */
  readonly records = new Map<string, string[]>();
  /** IPv4 addresses by name. */
  readonly addresses = new Map<string, string>();
  /** Names that get no answer. */
  readonly silent = new Set<string>();
  private readonly socket = createSocket('udp4');

  async listen(): Promise<void> {
    this.socket.on('message', (query, from) => {
      const { name, type, end } = questionOf(query);
      if (this.silent.has(name)) return;
      const data = this.dataOf(name, type);
      this.socket.send(reply(query.subarray(0, end), type, data), from.port, from.address);
    });
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
  }

  /** `address:port`, as a resolver expects it. */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  private dataOf(name: string, type: number): Buffer[] | undefined {
    const address = this.addresses.get(name);
    if (type === TYPE_A && address !== undefined) return [Buffer.from(address.split('.').map(Number))];
    if (type !== TYPE_TXT) return address === undefined ? undefined : [];
    return this.records.get(name)?.map((text) => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]));
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Appends the answers to the question; each refers to its name by a pointer. */
function reply(question: Buffer, type: number, answers: readonly Buffer[] | undefined): Buffer {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | (answers ? 0 : NXDOMAIN), 2);
  header.writeUInt16BE(answers?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  const records = (answers ?? []).map((data) => {
    const record = Buffer.alloc(HEADER_BYTES);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}
