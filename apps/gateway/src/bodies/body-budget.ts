import { Inject, Injectable } from '@nestjs/common';
import { type BodyLimits, GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { bodyBytes, refusedBodies } from './body-metrics.js';

/** Who sends a body: a tenant, or an address without a token. */
export type Sender = { readonly kind: 'tenant' | 'address'; readonly key: string };

/**
 * Bounds the memory that bodies on their way take. A body counts with its announced length from before it is read until its
 * call is answered. Senders without a token have a room of their own, so that they cannot take that of tenants, and no tenant
 * can take that of all.
 */
@Injectable()
export class BodyBudget {
  private readonly rooms: Readonly<Record<Sender['kind'], Room>>;

  constructor(@Inject(GATEWAY_CONFIG) { bodies }: GatewayConfig) {
    this.rooms = { tenant: new Room(bodies.tenant), address: new Room(bodies.address) };
    bodyBytes.set({ sender: 'tenant' }, 0);
    bodyBytes.set({ sender: 'address' }, 0);
  }

  /** @returns what to call when the body is gone, once; undefined when there is no room for it */
  take({ kind, key }: Sender, bytes: number): (() => void) | undefined {
    const room = this.rooms[kind];
    if (!room.take(key, bytes)) {
      refusedBodies.inc({ sender: kind });
      return undefined;
    }
    bodyBytes.set({ sender: kind }, room.used);
    return () => {
      room.leave(key, bytes);
      bodyBytes.set({ sender: kind }, room.used);
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
