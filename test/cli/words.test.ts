import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { parseNumber, parseUrl, parseView, parseWorldOrUrl } from '../../src/cli/address.ts';
import { clockText, counted, shortened, stateText, stretchText } from '../../src/cli/words.ts';

test.each([
  [0, '0:00:00.0'],
  [83_450, '0:01:23.4'],
  [36_000_000, '10:00:00.0'],
  [90_061_000, '1d 1:01:01.0'],
  [-1500, '-0:00:01.5'],
])('the clock at %d reads %s', (time, text) => expect(clockText(time)).toBe(text));

test.each([
  [0, '0.0 s'],
  [4230, '4.2 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [7_800_000, '2 h 10 min'],
  [273_600_000, '3 d 4 h'],
])('a stretch of %d ms reads %s', (time, text) => expect(stretchText(time)).toBe(text));

test('states read as a path, parallel ones side by side', () => {
  expect(stateText('growing')).toBe('growing');
  expect(stateText({ growth: { ripe: 'late' }, soil: 'dry' })).toBe('growth.ripe.late soil.dry');
  expect(stateText({})).toBe('');
});

test('what does not fit ends in a dot for what is missing', () => {
  expect(shortened('rivermeet', 9)).toBe('rivermeet');
  expect(shortened('rivermeet', 5)).toBe('rive…');
  expect(shortened('rivermeet', 0)).toBe('');
  expect([counted(1, 'record'), counted(12_345, 'record')]).toEqual(['1 record', '12,345 records']);
});

test('an address may leave out what everyone knows', () => {
  expect(parseUrl('localhost:4400')).toBe('http://localhost:4400');
  expect(parseUrl(':4400')).toBe('http://127.0.0.1:4400');
  expect(parseUrl('wss://game.example/world')).toBe('wss://game.example/world');
  for (const text of ['', 'ftp://x', 'http://', 'file:///etc']) {
    expect(() => parseUrl(text)).toThrow(InvalidArgumentError);
  }
});

test('places and numbers are checked as they are typed', () => {
  expect(parseView('-1200,350.5')).toEqual([-1200, 350.5]);
  for (const text of ['', '1', '1,', ',', '1,2,3', 'a,b', '1e300,0']) {
    expect(() => parseView(text)).toThrow(/two numbers/);
  }
  const port = parseNumber('The port', { least: 0, most: 65_535, whole: true });
  expect(port('0')).toBe(0);
  for (const text of ['', '-1', '1.5', '99999', 'x']) expect(() => port(text)).toThrow(/The port/);
});

test.each([
  ['valley', { world: 'valley' }],
  ['my_world-2', { world: 'my_world-2' }],
  ['./backup/valley', { world: './backup/valley' }],
  ['/srv/valley', { world: '/srv/valley' }],
  ['localhost', { url: 'http://localhost' }],
  ['127.0.0.1:4400', { url: 'http://127.0.0.1:4400' }],
  [':4400', { url: 'http://127.0.0.1:4400' }],
  ['https://game.example/', { url: 'https://game.example' }],
])('%s is a world, a folder or an address', (text, meant) =>
  expect(parseWorldOrUrl(text)).toEqual(meant),
);
