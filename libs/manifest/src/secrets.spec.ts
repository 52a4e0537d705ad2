import { describe, expect, it } from '@jest/globals';
import { secretsIn } from './secrets.js';

/** Concatenated, so that secret scanners do not find them in this file. */
const TOKEN = ['a1B2c3D4', 'e5F6g7H8', 'i9J0'].join('');
const AWS = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');

describe('secretsIn', () => {
  it.each<[string, unknown, string]>([
    ['a scheme in small letters', [`bearer ${TOKEN}`], '/0'],
    ['another scheme', [`ApiKey ${TOKEN}`], '/0'],
    ['Basic', ['Basic YWRtaW46aHVudGVyMg=='], '/0'],
    ['Basic without digits', ['Basic YWRtaWqQcGFzc3dvcmQ='], '/0'],
    ['a parameter', [`https://a.example.com/?api_key=${TOKEN}`], '/0'],
    ['a parameter further on', [`https://a.example.com/?a=b&client-secret=${TOKEN}`], '/0'],
    ['the first pair of a form', [`client_secret=${TOKEN}&grant_type=password`], '/0'],
    ['JSON as a text', [`{"a": 1, "client_secret" : "${TOKEN}"}`], '/0'],
    ['a UUID as a token', ['Use token 550e8400-e29b-41d4-a716-446655440000'], '/0'],
    ['hexadecimal digits', ['Token a1b2c3d4e5f6a7b8'], '/0'],
    ['a header X-Token', { 'X-Token': 'correct-horse-battery' }, '/X-Token'],
    ['a header Cookie', { Cookie: `theme=dark; sid=${TOKEN}` }, '/Cookie'],
    ['a literal beside a placeholder', { 'X-Api-Key': `${TOKEN}{{subject}}` }, '/X-Api-Key'],
    ['a scheme that no pattern knows', { Authorization: 'Basic correcthorsebattery' }, '/Authorization'],
    ['a token as the name says', { device_token: TOKEN }, '/device_token'],
    ['a key', { body: { [AWS]: 1 } }, '/body'],
    ['a key beside others', { body: { a: { [TOKEN]: 1, [`sk-${TOKEN}`]: 1 } } }, '/body/a'],
  ])('finds %s', (_what, document, at) => {
    const problems = secretsIn(document);
    expect(problems.map((problem) => problem.pointer)).toEqual([at]);
    expect(problems[0]!.message).not.toContain(TOKEN);
  });

  it.each<[string, unknown]>([
    ['prose after "Basic"', ['Basic responsibilities of the office.', 'Basic plan/professional/enterprise']],
    ['prose after "token"', ['The token authentication-mechanism of the app', 'A token JavaScriptFramework']],
    ['a placeholder', { Authorization: 'Bearer {{connection.token}}', 'X-Token': '{{subject}}{{subject}}' }],
    ['a parameter that is a placeholder', ['https://a.example.com/?api_key={{connection.api_key}}']],
    ['a parameter that is a word', ['https://a.example.com/?token=documentation']],
    ['words with a number', ['Basic subscription-plan-v2 included', 'token user-story-12345678']],
    ['a parameter that is words with a number', ['https://a.example.com/?page_token=next-page-2024']],
    ['the name of a field with a number', { external_token: 'externalTokenV2' }],
    ['JSON with a placeholder', ['{"client_secret":"{{connection.secret}}","token":"documentation"}']],
    ['the name of a field', { token: 'device_token_of_source', Cookie: 'preferences-of-user' }],
    ['advice', { password: 'Ask your administrator for it.' }],
  ])('does not report %s', (_what, document) => expect(secretsIn(document)).toEqual([]));

  it('stops when a result has enough findings', () => {
    expect(secretsIn(Array.from({ length: 500 }, () => AWS))).toHaveLength(101);
  });

  it.each([
    ...['eyJaaaaaaaaaa-', 'bearer ', 'token\t', '{{a', '?a_', '&token=', '"a_', '"token":"', 'token="token" '],
    ...['ab://c:', 'sk-', 'hooks.slack.com/services/T'],
  ])('takes linear time for very many %j', (piece) => {
    const time = (count: number) => {
      const document = { authorization: piece.repeat(count) };
      const startedAt = performance.now();
      secretsIn(document);
      return performance.now() - startedAt;
    };
    time(1_000);
    // Quadratic time would mean minutes.
    expect(time(100_000)).toBeLessThan(5_000);
  });
});
