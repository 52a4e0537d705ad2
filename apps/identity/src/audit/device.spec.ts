import { describe, expect, it } from '@jest/globals';
import { deviceOf } from './request-origin.decorator.js';

describe('the device of a session', () => {
  const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0';
  const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Safari/537.36 Edg/141.0.0.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`, 'Safari on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${WEBKIT} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`,
      'Chrome on iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 10; K) ${BLINK} Mobile Safari/537.36`, 'Chrome on Android'],
    ['curl/8.14.1', 'curl'],
    ['node', 'Node.js'],
  ])('is read from %j', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  it.each([null, '', 'something else'])('is unknown for %j', (userAgent) => {
    expect(deviceOf(userAgent)).toBeNull();
  });
});
