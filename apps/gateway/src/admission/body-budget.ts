import { counter, gauge } from '@crm/telemetry';
import { Inject, Injectable } from '@nestjs/common';
import { type BodyLimits, GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { BODY_ROOMS, type BodyRoom } from '../routing/route-class.js';

const bodyBytes = gauge(
  'gateway_body_bytes',
  'Announced bytes of the bodies on their way, by who sends them: tenants, or without a token addresses, credentials and hooks',
  ['sender'],
);

const refusedBodies = counter(
  'gateway_bodies_refused_total',
  'Bodies that were refused because too many bytes were on their way',
  ['sender'],
);

export type Sender = { readonly room: BodyRoom; readonly key: string };

/** Where no body is longer than 16 KiB, a part of the room for hooks is enough. */
const SHORT_BODIES = { each: 1 / 8, all: 1 / 4 };

/**
 * A body counts with its announced length from before it is read until its call is answered. Nobody without a token takes the
 * room of tenants, no tenant that of all; whoever takes the room of one kind of calls without a token, anybody can sign in.
 */
@Injectable()
export class BodyBudget {
  private readonly rooms: Readonly<Record<BodyRoom, Room>>;

  constructor(@Inject(GATEWAY_CONFIG) { bodies }: GatewayConfig) {
    const short = { each: bodies.address.each * SHORT_BODIES.each, all: bodies.address.all * SHORT_BODIES.all };
    this.rooms = {
      tenant: new Room(bodies.tenant),
      address: new Room(short),
      credentials: new Room(short),
      hook: new Room(bodies.address),
    };
    for (const sender of BODY_ROOMS) bodyBytes.set({ sender }, 0);
  }

  /** @returns what to call when the body is gone, once; undefined when there is no room for it */
  take({ room: sender, key }: Sender, bytes: number): (() => void) | undefined {
    const room = this.rooms[sender];
    if (!room.take(key, bytes)) {
      refusedBodies.inc({ sender });
      return undefined;
    }
    bodyBytes.set({ sender }, room.used);
    return () => {
      room.leave(key, bytes);
      bodyBytes.set({ sender }, room.used);
    };
  }
}

class Room {
  used = 0;
  private readonly byKey = new Map<string, number>();

  constructor(private readonly limits: BodyLimits) {}

  take(key: string, bytes: number): boolean {
    const own = (this.byKey.get(key) ?? 0) + bytes;
    if (own > this.limits.each || this.used + bytes > this.limits.all) return false;
    this.byKey.set(key, own);
    this.used += bytes;
    return true;
  }

  leave(key: string, bytes: number): void {
    const own = (this.byKey.get(key) ?? 0) - bytes;
    if (own > 0) this.byKey.set(key, own);
    else this.byKey.delete(key);
    this.used -= bytes;
  }
}
