import { readFile } from 'node:fs/promises';
import { inRoot } from '../root.mjs';

export const DOCKERFILE = inRoot('deploy', 'Dockerfile');

/**
 * @typedef {object} Stage
 * @property {string} from an image, another stage or an ARG
 * @property {readonly { instruction: string, value: string }[]} instructions with continued lines joined
 */

/**
 * @typedef {object} Dockerfile
 * @property {Readonly<Record<string, string>>} images the bases, by their ARG
 * @property {Readonly<Record<string, Stage>>} stages by name
 */

/**
 * @param {string} [text] default: deploy/Dockerfile
 * @returns {Promise<Dockerfile>}
 */
export async function readDockerfile(text) {
  const lines = (text ?? (await readFile(DOCKERFILE, 'utf8')))
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  /** @type {Record<string, string>} */
  const images = {};
  /** @type {Record<string, { from: string, instructions: { instruction: string, value: string }[] }>} */
  const stages = {};
  let current = '';
  for (const line of lines) {
    const [, instruction = '', value = ''] = /^([A-Z]+)\s+(.*?)\s*$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [, from = '', name = ''] = /^(\S+)\s+AS\s+(\S+)$/.exec(value) ?? [];
      if (name === '' || stages[name])
        throw new Error(`The stage "${value}" of deploy/Dockerfile needs a name of its own`);
      current = name;
      stages[name] = { from, instructions: [] };
    } else if (instruction !== '' && current === '') {
      const [, name = '', image = ''] = /^(\w+)=(\S+)$/.exec(value) ?? [];
      images[name] = image;
    } else if (instruction !== '') stages[current]?.instructions.push({ instruction, value });
  }
  return { images, stages };
}

/**
 * The settings of a stage with those that it has from the stages below it, as an engine sees them.
 * @param {Dockerfile} file
 * @param {string} name
 * @returns {{ environment: Record<string, string>, ports: number[], labels: Record<string, string>, user: string, command: string[], values: Record<string, string> }}
 *   labels: as they are written, those that are given by an ARG too. values: the last of each instruction
 */
export function settingsOf({ stages }, name) {
  /** @type {Record<string, string>} */
  const environment = {};
  /** @type {Record<string, string>} */
  const values = {};
  /** @type {Record<string, string>} */
  const labels = {};
  /** @type {number[]} */
  const ports = [];
  /** @type {Stage[]} */
  const chain = [];
  for (let stage = stages[name]; stage; stage = stages[stage.from]) chain.unshift(stage);
  for (const { instruction, value } of chain.flatMap(({ instructions }) => instructions)) {
    values[instruction] = value;
    if (instruction === 'ENV') {
      for (const [, key = '', text = ''] of value.matchAll(/(\w+)=("[^"]*"|\S+)/g)) environment[key] = text;
    }
    if (instruction === 'LABEL') {
      for (const [, key = '', text = ''] of value.matchAll(/([\w.-]+)="([^"]*)"/g)) labels[key] = text;
    }
    if (instruction === 'EXPOSE') {
      const known = value.replace(/\$(\w+)/g, (_, key) => environment[key] ?? '');
      ports.push(...known.split(/\s+/).map(Number));
    }
  }
  return { environment, ports, labels, user: values.USER ?? '', command: JSON.parse(values.CMD ?? '[]'), values };
}
