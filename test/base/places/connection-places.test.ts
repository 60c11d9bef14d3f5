// The connection that ends if there is no room for another.

import { expect, test } from 'vitest';
import { ConnectionPlaces, placeConnections } from '../../../src/base/places/connection-places.ts';

test('the oldest without a token makes way, none with one does, and among those the newest ends', () => {
  const ended: string[] = [];
  let full = 0;
  const places = new ConnectionPlaces<{ destroy(): void }>(3, () => full++);
  const open = (name: string) => {
    const connection = { destroy: () => void ended.push(name) };
    places.opened(connection);
    return connection;
  };
  const [a, b, c] = ['a', 'b', 'c'].map(open);
  expect([ended, full]).toEqual([[], 0]);
  places.keep(a!);
  const d = open('d');
  expect([ended, full]).toEqual([['b'], 1]);
  // Of one that was ended nothing is kept, though its last request is still answered.
  places.keep(b!);
  places.closed(b!);
  places.keep(c!);
  places.keep(d);
  open('e');
  expect([ended, full]).toEqual([['b', 'e'], 2]);
  places.closed(a!);
  open('f');
  expect([ended, full]).toEqual([['b', 'e'], 2]);
});

test('if all have shown a token, the one idle longest makes way', () => {
  const ended: string[] = [];
  const places = new ConnectionPlaces<{ destroy(): void }>(3);
  const open = (name: string) => {
    const connection = { destroy: () => void ended.push(name) };
    places.opened(connection);
    return connection;
  };
  const [a, b, c] = ['a', 'b', 'c'].map((name) => {
    const connection = open(name);
    places.keep(connection);
    return connection;
  });
  // Two requests, and one answer; and a later request.
  places.keep(b!);
  places.rests(b!);
  open('d');
  expect(ended).toEqual(['d']);
  for (const resting of [a!, c!]) places.rests(resting);
  places.keep(a!);
  places.rests(a!);
  const e = open('e');
  expect(ended).toEqual(['d', 'c']);
  // Of one that was ended, the end of its request changes nothing.
  places.rests(c!);
  places.keep(e);
  open('f');
  open('g');
  expect(ended).toEqual(['d', 'c', 'a', 'f']);
});

test('the address with most token-less connections gives way first, one with a token last', () => {
  const ended: string[] = [];
  const places = new ConnectionPlaces<{ remoteAddress: string; destroy(): void }>(4);
  const open = (name: string, remoteAddress: string) => {
    const connection = { remoteAddress, destroy: () => void ended.push(name) };
    places.opened(connection);
    return connection;
  };
  const desk = open('desk 1', '::ffff:198.51.100.1');
  places.keep(desk);
  places.closed(desk);
  open('desk 2', '198.51.100.1');
  open('lone', '198.51.100.2');
  // Two of one /64.
  open('crowd 1', '2001:db8::1');
  open('crowd 2', '2001:db8::2');
  open('late', '198.51.100.3');
  expect(ended).toEqual(['crowd 1']);
  for (const name of ['x', 'y', 'z']) open(name, `2001:db8:0:${name.charCodeAt(0).toString(16)}::1`);
  // Of origins with as many, the one that has had so many for the longest time.
  expect(ended).toEqual(['crowd 1', 'lone', 'late', 'crowd 2']);
});

test('a TLS connection has its place before the handshake, and keeps it by a token over TLS', () => {
  const ended: string[] = [];
  const places = new ConnectionPlaces<Peer>(2);
  const told = new Map<string, (connection: Peer) => void>();
  placeConnections(places, { on: (event, listener) => told.set(event, listener) });
  const peer = (name: string, remotePort: number): Peer => ({
    remoteAddress: '192.0.2.1',
    remotePort,
    destroy: () => void ended.push(name),
    once: () => {},
  });
  told.get('connection')!(peer('known', 1));
  const over = peer('TLS of known', 1);
  told.get('secureConnection')!(over);
  places.keep(over);
  told.get('connection')!(peer('silent', 2));
  told.get('connection')!(peer('newest', 3));
  expect(ended).toEqual(['silent']);
});

interface Peer {
  readonly remoteAddress: string;
  readonly remotePort: number;
  destroy(): void;
  once(event: 'close', listener: () => void): void;
}
