import { KeySource } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/** Gets the issuer's public keys from identity. */
@Injectable()
export class RpcKeySource extends KeySource {
  constructor(private readonly rpc: Rpc) {
    super();
  }

  override getKeys(): ReturnType<KeySource['getKeys']> {
    return this.rpc.call(rpc.identity.getKeys, {}) as unknown as ReturnType<KeySource['getKeys']>;
  }
}
