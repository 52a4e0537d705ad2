import { Module } from '@nestjs/common';
import { DeviceTokens } from './device-tokens.js';

/** By what a device is known from which a user has signed in before. */
@Module({ providers: [DeviceTokens], exports: [DeviceTokens] })
export class KnownDeviceModule {}
