import { type TokenPair } from '@crm/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { type HeaderReply } from '../guesses/device-tokens.js';
import { AccessTokenView } from '../sessions/session.dto.js';
import { presentedCookie } from './browser-cookie.js';

export const PAGE_SESSION_PATH = 'api/auth/session';

/** The refresh token of a page, where its scripts cannot read it. */
@Injectable()
export class PageCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly lifeSeconds: number;

  constructor(@Inject(IDENTITY_CONFIG) { service, sessions }: IdentityConfig) {
    // `__Host-`, which neighbouring hosts cannot plant, is for https and the whole host (RFC 6265bis, section 4.1.3.2).
    const isSecure = service.baseUrl.startsWith('https:');
    this.name = isSecure ? '__Host-crm-session' : 'crm-session';
    this.attributes = `${isSecure ? 'Path=/; Secure' : `Path=/${PAGE_SESSION_PATH}`}; HttpOnly; SameSite=Strict`;
    this.lifeSeconds = sessions.idleSeconds;
  }

  /** @param header `Cookie` */
  presented(header: string | undefined): string | undefined {
    return presentedCookie(this.name, header);
  }

  /** @returns what stays for the page */
  keep(reply: HeaderReply, { refreshToken, ...rest }: TokenPair): AccessTokenView {
    this.set(reply, refreshToken, this.lifeSeconds);
    return rest;
  }

  drop(reply: HeaderReply): void {
    this.set(reply, '', 0);
  }

  private set(reply: HeaderReply, value: string, seconds: number): void {
    reply.header('set-cookie', `${this.name}=${value}; Max-Age=${seconds}; ${this.attributes}`);
  }
}
