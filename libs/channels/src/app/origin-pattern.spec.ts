import { describe, expect, it } from 'vitest';
import { isOriginPattern, namesOfOrigin } from './origin-pattern.js';

describe('an allowed origin', () => {
  it.each([
    '*',
    'shop.example',
    'Shop.Example',
    '*.shop.example',
    'shop.*',
    'localhost',
    'localhost:3000',
    'localhost:*',
    '10.0.0.1',
    '10.0.*.*',
    '10.0.*',
    '192.168.1.*:8080',
    '[::1]',
    '[::1]:3000',
    '[2001:db8::*]',
    'https://shop.example',
    'https://*.shop.example',
    'https://shop.example:8443',
    'http*://shop.example',
    '*://shop.example',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
    'xn--bcher-kva.example',
    'example.com:443',
    'null',
  ])('may be %s', (pattern) => {
    expect(isOriginPattern(pattern)).toBe(true);
  });

  it.each([
    'bücher.example',
    '*.bücher.example',
    '::1',
    '2001:db8::1',
    'https://shop.example/',
    'https://shop.example/path',
    'shop.example/',
    'https://shop.example:443',
    'shop example',
    ' shop.example',
    '010.0.0.1',
    'https://',
    'shop.example:99999',
    7,
  ])('may not be %j, which no page has', (pattern) => {
    expect(isOriginPattern(pattern)).toBe(false);
  });

  it('is compared with what a browser sends', () => {
    expect(namesOfOrigin('https://xn--bcher-kva.example')).toContain('xn--bcher-kva.example');
    expect(namesOfOrigin('http://[::1]:3000')).toEqual(['[::1]', '[::1]:3000', 'http://[::1]:3000']);
    expect(namesOfOrigin('null')).toEqual([]);
  });
});
