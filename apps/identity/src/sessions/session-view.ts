import type { SessionView } from '@crm/identity-views';
import { deviceOf } from '../audit/device.js';
import type { Session } from './session.entity.js';

/** @param currentId the session of the caller */
export function sessionView(session: Session, currentId: string | undefined): SessionView {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    lastAddress: session.lastAddress ?? session.address,
    userAgent: session.userAgent,
    device: deviceOf(session.userAgent),
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    endsAt: session.endsAt.toISOString(),
  };
}
