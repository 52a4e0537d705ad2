import { open, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

/** Sizes and signatures of the records of a zip file (PKWARE APPNOTE 6.3.10, 4.3.7, 4.3.12, 4.3.16). */
const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

/**
 * Unpacks one file of a zip archive: neither Node nor every machine has a program for it. Without zip64, encryption and
 * archive comments, none of which a package of npm needs.
 * @param {string} archive
 * @param {string} name of the file in the archive
 * @param {string} target where it is written
 */
export async function unpackFromZip(archive, name, target) {
  const file = await open(archive);
  try {
    const { size } = await file.stat();
    /** @param {number} position @param {number} length */
    const read = async (position, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
      if (bytesRead !== length) throw new Error(`${archive} ends too early`);
      return buffer;
    };
    const end = await read(size - END_BYTES, END_BYTES);
    if (end.readUInt32LE(0) !== END_SIGNATURE) throw new Error(`${archive} is not a zip archive`);
    const directory = await read(end.readUInt32LE(16), end.readUInt32LE(12));
    const entry = entriesOf(directory).find((candidate) => candidate.name === name);
    if (!entry) throw new Error(`${archive} holds no ${name}`);
    const local = await read(entry.offset, LOCAL_BYTES);
    const begin = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = await read(begin, entry.packedBytes);
    await writeFile(target, await unpack(packed, entry.method, name));
  } finally {
    await file.close();
  }
}

/** @param {Buffer} directory */
function entriesOf(directory) {
  const entries = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY_SIGNATURE; ) {
    const nameBytes = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
      method: directory.readUInt16LE(at + 10),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * @param {Buffer} packed
 * @param {number} method
 * @param {string} name
 * @returns {Promise<Buffer>}
 */
async function unpack(packed, method, name) {
  if (method === STORED) return packed;
  if (method === DEFLATED) return promisify(inflateRaw)(packed);
  throw new Error(`${name} is packed by the unknown method ${method}`);
}
