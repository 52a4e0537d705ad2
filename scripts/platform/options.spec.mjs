import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { readStartOptions } from './options.mjs';

describe('the options of npm start', () => {
  it('have defaults', () => {
    const flags = { detach: false, json: false, throwaway: false, prepared: false };
    const others = { freePorts: false, portOffset: 0, dataDir: inRoot('.data'), only: undefined };
    expect(readStartOptions([], {})).toEqual({ ...flags, ...others });
  });

  it('are read', () => {
    const args = ['--detach', '--json', '--ports', 'free', '--data', '/tmp/x', '--only', 'custom-objects, identity'];
    expect(readStartOptions(args, { PORT_OFFSET: '100' })).toMatchObject({
      detach: true,
      json: true,
      freePorts: true,
      portOffset: 100,
      dataDir: '/tmp/x',
      only: ['custom-objects', 'identity'],
    });
  });

  it('explain themselves when one is unknown', () => {
    expect(() => readStartOptions(['--detached'], {})).toThrow('npm start -- [options]');
    expect(() => readStartOptions(['--ports', '80'], {})).toThrow('PORT_OFFSET');
  });
});
