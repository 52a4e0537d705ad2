import { AUDIENCES, PlatformError, type TokenPair } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import { PasswordService } from '../accounts/password/password.service.js';
import { normaliseEmail } from '../accounts/user/email-address.js';
import { TokenSigner } from '../keys/token-signer.js';
import { hashSecret, newSecret } from '../secrets/secret.js';
import { SignInLimit } from '../sign-in/limit/sign-in-limit.js';
import { OperatorRepository } from './operator.repository.js';

/** Signs operators in. Their accounts, sessions, tokens and signing key are separate from those of tenants. */
@Injectable()
export class OperatorService {
  private readonly logger = new Logger(OperatorService.name);

  constructor(
    private readonly database: Database,
    private readonly operators: OperatorRepository,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * @param address the IP address of the operator, as marketplace-admin sees it
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED
   */
  async signIn(email: string, password: string, address: string): Promise<TokenPair> {
    const normalised = normaliseEmail(email);
    return this.limit.attempt(`operator:${normalised}`, address, async () => {
      const operator = await this.database.crossTenant((tx) => this.operators.findByEmail(tx, normalised));
      const right = await this.passwords.matches(operator?.passwordHash, password);
      if (!right || operator?.status !== 'active') throw new PlatformError('INVALID_CREDENTIALS');
      const sessionId = newId();
      const refreshToken = newSecret();
      await this.database.crossTenant((tx) =>
        this.operators.insertSession(tx, sessionId, operator.id, hashSecret(refreshToken)),
      );
      return this.tokenPair(operator.id, sessionId, refreshToken);
    });
  }

  /** @throws PlatformError INVALID_REFRESH_TOKEN */
  async refresh(refreshToken: string): Promise<TokenPair> {
    const successor = newSecret();
    const { rotation, operator } = await this.database.crossTenant(async (tx) => {
      const rotated = await this.operators.rotateSession(tx, hashSecret(refreshToken), hashSecret(successor));
      const owner = rotated.outcome === 'rotated' ? await this.operators.find(tx, rotated.operatorId) : null;
      return { rotation: rotated, operator: owner };
    });
    if (rotation.outcome === 'reused') {
      this.logger.warn("An operator's spent refresh token was presented; its session ended");
    }
    if (rotation.outcome !== 'rotated' || operator?.status !== 'active') {
      throw new PlatformError('INVALID_REFRESH_TOKEN');
    }
    return this.tokenPair(operator.id, rotation.sessionId, successor);
  }

  private tokenPair(operatorId: string, sessionId: string, refreshToken: string): Promise<TokenPair> {
    const content = { aud: AUDIENCES.admin, sub: operatorId, roles: ['operator'], scopes: [], sid: sessionId };
    return this.signer.signPair(content, refreshToken, newId());
  }
}
