import { Module } from '@nestjs/common';
import { UserModule } from '../../accounts/user/user.module.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { EmbedUserService } from './embed-user.service.js';

/** Which user of a tenant a host user is. */
@Module({
  imports: [UserModule],
  providers: [EmbedUserRepository, EmbedUserService],
  exports: [EmbedUserRepository, EmbedUserService],
})
export class EmbedUserModule {}
