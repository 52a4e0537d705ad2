import { domainToASCII } from 'node:url';
import type { Principal } from '@crm/access';
import { EVENTS, mayGrantRole, PlatformError } from '@crm/contracts';
import { appendEvent, type NarrowTransaction } from '@crm/database';
import { EmailField, field, IdField, ListField, TextField } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { SignInEmailRepository } from './email.repository.js';
import { type NewUser, UserRepository } from './user.repository.js';

/** Adds users. The address, the user and the event commit together or not at all. */
@Injectable()
export class UserService {
  constructor(
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
  ) {}

  async add(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    const holder = await this.emails.claim(tx, user.email, { tenantId, userId: user.id });
    if (holder.userId !== user.id) throw new PlatformError('EMAIL_TAKEN');
    await this.addClaimed(tx, tenantId, user);
  }

  /** Adds a user for whom the address has been claimed in the same transaction, or waits to be verified. */
  async addClaimed(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    await this.users.insert(tx, tenantId, user);
    await appendEvent(tx, EVENTS['user.created'], {
      tenantId,
      subject: user.id,
      data: { userId: user.id, email: user.email, name: user.name },
    });
  }
}

export class UserSummaryView {
  @IdField()
  id: string;

  @EmailField()
  email: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ListField(field.text({ maxLength: 40 }), { example: ['member'] })
  roles: string[];
}

/** Local parts are case-sensitive on paper (RFC 5321, section 2.4) but nowhere in practice. */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  if (at < 0) return text;
  const domain = text.slice(at + 1);
  return `${text.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** @throws PlatformError ROLE_NOT_GRANTABLE for a role above the principal's */
export function assertGrantable(principal: Principal, roles: readonly string[]): void {
  const refused = roles.find((role) => !mayGrantRole(principal.roles, role));
  if (refused !== undefined) throw new PlatformError('ROLE_NOT_GRANTABLE', `The role ${refused} is above your own`);
}

/** People of a workspace who are told what was decided about it: a workspace with thousands of administrators is no mailing list. */
export const MAX_NOTIFIED_ADMINISTRATORS = 50;
