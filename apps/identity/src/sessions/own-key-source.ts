import { KeySource } from '@crm/access';
import { Injectable } from '@nestjs/common';
import { type JSONWebKeySet } from 'jose';
import { SigningKeyService } from './signing-key.service.js';

/** identity verifies tokens with the keys in its own table. */
@Injectable()
export class OwnKeySource extends KeySource {
  constructor(private readonly keys: SigningKeyService) {
    super();
  }

  async getKeys(): Promise<JSONWebKeySet> {
    return { keys: await this.keys.publicKeys() };
  }
}
