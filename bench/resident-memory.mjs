import { readFile } from 'node:fs/promises';

/**
 * Memory that a process holds, in bytes.
 * @param {number} pid
 */
export async function residentBytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
