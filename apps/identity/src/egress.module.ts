import { nameServerResolver, nameServerTextResolver, OutsideClient } from '@crm/egress';
import { Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from './config.js';

/** Token under which the TextResolver is injected. */
export const TEXT_RECORDS = Symbol('identity:text records');

/** The way to addresses outside the platform, each checked by the address policy, and to records of domains. */
@Module({
  providers: [
    {
      provide: OutsideClient,
      inject: [IDENTITY_CONFIG],
      useFactory: ({ egress: { allow, ca }, nameServers }: IdentityConfig) =>
        new OutsideClient({
          allow,
          ...(ca !== undefined && { ca }),
          ...(nameServers && { resolver: nameServerResolver({ servers: nameServers }) }),
        }),
    },
    {
      provide: TEXT_RECORDS,
      inject: [IDENTITY_CONFIG],
      useFactory: ({ nameServers }: IdentityConfig) =>
        nameServerTextResolver(nameServers === undefined ? {} : { servers: nameServers }),
    },
  ],
  exports: [OutsideClient, TEXT_RECORDS],
})
export class EgressModule {}
