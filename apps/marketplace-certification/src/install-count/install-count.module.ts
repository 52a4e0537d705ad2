import { Module } from '@nestjs/common';
import { InstallCountRepository } from './install-count.repository.js';

@Module({ providers: [InstallCountRepository], exports: [InstallCountRepository] })
export class InstallCountModule {}
