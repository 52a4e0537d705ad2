// The tenants of the measurement and their subscriptions: ten tenants with ten each, of which the tenth can be one whose
// receiver never answers.
import { newId } from '@crm/database';
import { HEALTHY_ORIGINS } from './subjects.mjs';

const TENANTS = 10;
/** Of each tenant. */
export const SUBSCRIPTIONS = 10;

/** @typedef {import('./dispatcher.mjs').Subscription} Subscription */

export class Tenants {
  ids = Array.from({ length: TENANTS }, newId);
  /** Nine of each tenant, which always work. @type {Subscription[]} */
  steady = [];
  /** The tenth of each tenant. @type {Subscription[]} */
  tenth = [];

  /**
   * @param {import('./dispatcher.mjs').DispatcherApi} api
   * @param {import('./subjects.mjs').Subjects} subjects
   */
  constructor(api, { healthyOrigins, otherOrigins }) {
    this.api = api;
    this.healthyOrigins = healthyOrigins;
    this.otherOrigins = otherOrigins;
  }

  /** Subscribes all of them, to receivers that work. */
  async subscribe() {
    for (const [tenant, id] of this.ids.entries()) {
      for (let index = 0; index < SUBSCRIPTIONS - 1; index += 1) {
        const url = `${this.healthyOrigins[index % HEALTHY_ORIGINS]}/ok/${tenant}/${index}`;
        this.steady.push(await this.api.subscribe(id, url));
      }
    }
    await this.replaceTenth('ok');
  }

  /**
   * Subscribes the tenth of each tenant anew.
   * @param {'ok' | 'hang'} behaviour of its receiver
   */
  async replaceTenth(behaviour) {
    for (const subscription of this.tenth) await this.api.unsubscribe(subscription);
    this.tenth = [];
    for (const [tenant, id] of this.ids.entries()) {
      const origin = behaviour === 'ok' ? this.healthyOrigins[SUBSCRIPTIONS - 1] : this.otherOrigins[tenant];
      this.tenth.push(await this.api.subscribe(id, `${origin}/${behaviour}/${tenant}/${SUBSCRIPTIONS - 1}`));
    }
  }
}
