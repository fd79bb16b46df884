import { describe, expect, it } from 'vitest';
import { hidden, hideCredentials, withHidden } from './hidden.js';

describe('the credentials of a URL', () => {
  it.each([
    ['https://user:pass@example.com/hook?a=1', 'https://********@example.com/hook?a=********'],
    [
      'https://example.com/hook?code=s%20c&code=d&b=',
      'https://example.com/hook?code=********&code=********&b=********',
    ],
    ['https://example.com/hook?s3cret', 'https://example.com/hook?********'],
    ['https://example.com/?=s3cret&a', 'https://example.com/?********&********'],
    ['https://example.com/hook#a', 'https://example.com/hook#a'],
    ['https://token@example.com', 'https://********@example.com/'],
    ['https://:pass@example.com/', 'https://********@example.com/'],
    ['HTTPS:user:pass@example.com', 'https://********@example.com/'],
    ['https:\\\\user:p%40ss@example.com/a', 'https://********@example.com/a'],
    [' \thttps://user:pass@example.com/', 'https://********@example.com/'],
    ['https://example.com/@user:pass', 'https://example.com/@user:pass'],
    ['mailto:user@example.com', 'mailto:user@example.com'],
  ])('of %j are shown as %j', (url, shown) => {
    expect(hideCredentials({ webhooks: [{ url, events: [] }], mirror: { url } })).toEqual({
      webhooks: [{ url: shown, events: [] }],
      mirror: { url: shown },
    });
  });

  const url = 'https://user:p%40ss@example.com/hook';
  const shown = hideCredentials(url);

  it('stay if the URL is unchanged', () => {
    expect(withHidden(shown, url, 'url')).toBe(url);
    expect(withHidden({ url: shown }, { url }, 'mirror')).toEqual({ url });
    expect(withHidden([{ url: shown, events: ['a'] }], [{ url }], 'webhooks')).toEqual([{ url, events: ['a'] }]);
  });

  it('stay with another path of the same host, and are not sent to another host', () => {
    const before = [{ url, headers: { 'x-key': 'secret' } }];
    const moved = [{ url: shown.replace('/hook', '/other'), headers: { 'x-key': hidden } }];
    expect(withHidden(moved, before, 'webhooks')).toEqual([
      { url: 'https://user:p%40ss@example.com/other', headers: { 'x-key': 'secret' } },
    ]);
    for (const elsewhere of ['https://********@evil.example/hook', 'http://********@example.com/hook'])
      expect(() => withHidden([{ url: elsewhere }], before, 'webhooks')).toThrow(
        'webhooks[0].url has hidden credentials, and had none for this host before: give them',
      );
  });

  it('stay by parameter name if a query is partly changed, each once', () => {
    const was = 'https://example.com/hook?code=1&key=a%20b&key=c&s3cret';
    const changed = (text: string) => withHidden([{ url: text }], [{ url: was }], 'webhooks');
    expect(changed(hideCredentials(was))).toEqual([{ url: was }]);
    expect(changed('https://example.com/other?key=********&new=2&key=********&********')).toEqual([
      { url: 'https://example.com/other?key=a%20b&new=2&key=c&s3cret' },
    ]);
    expect(changed('https://example.com/hook?key=given&key=********')).toEqual([
      { url: 'https://example.com/hook?key=given&key=c' },
    ]);
    for (const faulty of [
      'https://evil.example/hook?code=********',
      'https://example.com/hook?other=********',
      'https://example.com/hook?code=********&code=********',
      'https://********@example.com/hook?code=********',
    ])
      expect(() => changed(faulty)).toThrow(
        'webhooks[0].url has hidden credentials, and had none for this host before',
      );
  });

  it('are replaced by those that are given', () => {
    const given = [{ url: 'https://other:word@example.com/hook' }];
    expect(withHidden(given, [{ url }], 'webhooks')).toEqual(given);
    expect(withHidden([{ url: 'https://example.com/hook' }], [{ url }], 'webhooks')).toEqual([
      { url: 'https://example.com/hook' },
    ]);
  });

  it('stay with their own URL among several similar ones', () => {
    const others = ['https://a:1@example.com/', 'https://b:2@example.com/'].map((each) => ({ url: each }));
    const all = others.map(({ url: each }) => ({ url: hideCredentials(each) }));
    expect(withHidden([{ url: shown }, ...all], [...others, { url }], 'webhooks')).toEqual([{ url }, ...others]);
    // Which of them is left?
    expect(() => withHidden([all[1]], others, 'webhooks')).toThrow('webhooks[0].url has hidden credentials');
  });

  it('are found again behind items that were removed or added', () => {
    const plain = { url: 'https://example.com/plain' };
    expect(withHidden([{ url: shown }], [plain, { url }], 'webhooks')).toEqual([{ url }]);
    expect(withHidden([plain, { url: shown }], [{ url }], 'webhooks')).toEqual([plain, { url }]);
    expect(() => withHidden([{ url: shown }], [plain], 'webhooks')).toThrow('had none for this host before');
  });
});
