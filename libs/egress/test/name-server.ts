import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** What is asked for. */
export type RecordKind = 'A' | 'AAAA' | 'TXT';

/** What the server answers for a name and kind: addresses or texts, a response code (2 SERVFAIL, 3 NXDOMAIN), or nothing. */
export type NameAnswer = readonly string[] | number | 'silence';

/** A name server on a free port of loopback. */
export interface NameServer {
  /** `address:port`, as a resolver expects it. */
  address: string;
  /** The names asked for so far, one entry per query. */
  asked: readonly string[];
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_TXT = 16;
/** Longest piece of a text. */
const PIECE_BYTES = 255;
const HEADER_BYTES = 12;

/** Starts a name server (RFC 1035 over UDP) with these answers. */
export async function startNameServer(answer: (name: string, kind: RecordKind) => NameAnswer): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const said = answer(name, type === TYPE_A ? 'A' : type === TYPE_TXT ? 'TXT' : 'AAAA');
    if (said !== 'silence') socket.send(reply(query.subarray(0, end), type, said), from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
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
function reply(question: Buffer, type: number, said: readonly string[] | number): Buffer {
  const addresses = typeof said === 'number' ? [] : said;
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | (typeof said === 'number' ? said : 0), 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const bytes = type === TYPE_TXT ? piecesOf(address) : bytesOf(address);
    const record = Buffer.alloc(HEADER_BYTES);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}

/** Encodes a text in pieces, each after its length. */
function piecesOf(text: string): Buffer {
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE_BYTES) }, (_none, index) =>
    Buffer.from(text.slice(index * PIECE_BYTES, (index + 1) * PIECE_BYTES), 'latin1'),
  );
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.of(piece.length), piece]));
}

/** Encodes an address. IPv6 must be written out in eight groups. */
function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}
