import { TenantDirectory } from '@crm/messaging';
import { Module } from '@nestjs/common';

/** Zone, country and plan of tenants, which identity owns: one memory of them for the whole service. */
@Module({ providers: [TenantDirectory], exports: [TenantDirectory] })
export class TenantModule {}
