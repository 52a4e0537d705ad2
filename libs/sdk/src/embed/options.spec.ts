import { describe, expect, it } from '@jest/globals';
import { checkOptions, EmbedError, type EmbedOptions } from './options.js';

const OPTIONS: EmbedOptions = {
  clientId: 'embed_1',
  embedUrl: 'https://embed.example.com/',
  fetchToken: async () => 'token',
};

describe('the options of an embedding', () => {
  it('give the address of the page and its origin', () => {
    expect(checkOptions(OPTIONS)).toMatchObject({
      pageUrl: 'https://embed.example.com/embed/embed_1',
      origin: 'https://embed.example.com',
    });
  });

  it.each([
    [{ clientId: '' }],
    [{ clientId: '../admin' }],
    [{ embedUrl: 'embed.example.com' }],
    [{ embedUrl: 'javascript:alert(1)' }],
    [{ fetchToken: undefined }],
    [{ view: { object: '/leads' } }],
    [{ theme: { colors: { accent: 'red' } } }],
    [{ theme: { radius: 99 } }],
    [{ locale: 'not a locale' }],
  ])('are refused with %j', (wrong) => {
    expect(() => checkOptions({ ...OPTIONS, ...wrong } as EmbedOptions)).toThrow(
      expect.objectContaining({ name: 'EmbedError', code: 'invalid_options' }),
    );
  });

  it('keep the cause of what is not an address', () => {
    const cause = expect.objectContaining({ name: 'TypeError' });
    const refused = () => checkOptions({ ...OPTIONS, embedUrl: 'nowhere' });
    expect(refused).toThrow(EmbedError);
    expect(refused).toThrow(expect.objectContaining({ cause }));
  });
});
