import { setTimeout as delay } from 'node:timers/promises';
import { client } from '../demo/client.mjs';

const PASSWORD = 'correct-horse-battery-staple';
/** Each has a limit of its own at the gateway, 50 requests a second. */
const PEOPLE = ['admin@globex.test', 'member@globex.test', 'admin@initech.test'];
/** Requests a second of each person, spread evenly. */
const PER_SECOND = 20;
/** Whoever gets no answer within so many milliseconds gives up. */
const GIVES_UP_MS = 20_000;

/** @typedef {{ at: number, method: string, status: number, what: string }} Failure `status` 0 without an answer */

/**
 * What the requests of a phase came to.
 * @typedef {object} Phase
 * @property {string} name
 * @property {number} requests
 * @property {readonly Failure[]} failures
 * @property {number} slowestMs
 * @property {number} longestGapMs longest time without a successful write
 */

/**
 * People who create, read and change leads at a steady rate, whatever happens to the platform. Nothing is tried again, so
 * that each request that fails is seen.
 */
export class Load {
  /** Ids of leads whose creation was answered with 201. @type {string[]} */
  accepted = [];
  /** @type {Map<string, string>} by person */
  #tokens = new Map();
  #call;
  #isStopped = false;
  /** @type {Promise<void>[]} */
  #people = [];
  /** @type {Set<Promise<void>>} */
  #underWay = new Set();
  /** @type {Phase & { failures: Failure[] }} */
  #phase = emptyPhase('');
  #wroteAt = 0;

  /** @param {string} baseUrl of the gateway */
  constructor(baseUrl) {
    this.#call = client(baseUrl);
    this.baseUrl = baseUrl;
  }

  /**
   * @param {string} person
   * @returns {string} an access token, valid for 15 minutes
   */
  tokenOf(person) {
    return /** @type {string} */ (this.#tokens.get(person));
  }

  /** People whose leads are of one tenant each: one of every tenant. */
  get tenants() {
    return ['admin@globex.test', 'admin@initech.test'];
  }

  async signIn() {
    for (const email of PEOPLE) {
      const { body } = await this.#call('POST', '/api/auth/login', {
        body: { email, password: PASSWORD },
        expect: 200,
      });
      this.#tokens.set(email, body.accessToken);
    }
  }

  start() {
    this.#wroteAt = performance.now();
    this.#people = PEOPLE.map((person) => this.#live(person));
  }

  /**
   * Does something, and says what the requests meanwhile came to.
   * @param {string} name
   * @param {() => Promise<unknown>} work
   * @returns {Promise<Phase>}
   */
  async during(name, work) {
    const phase = emptyPhase(name);
    this.#phase = phase;
    this.#wroteAt = performance.now();
    await work();
    // A request that began meanwhile belongs to it.
    await Promise.all(this.#underWay);
    phase.longestGapMs = Math.max(phase.longestGapMs, performance.now() - this.#wroteAt);
    return phase;
  }

  async stop() {
    this.#isStopped = true;
    await Promise.all(this.#people);
    await Promise.all(this.#underWay);
  }

  /** @param {string} person */
  async #live(person) {
    const intervalMs = 1000 / PER_SECOND;
    /** @type {string[]} */
    const own = [];
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const next = performance.now() + intervalMs;
      const request = this.#request(person, turn, own).finally(() => this.#underWay.delete(request));
      this.#underWay.add(request);
      await delay(Math.max(0, next - performance.now()));
    }
  }

  /**
   * Half of the requests read, a quarter each creates and changes.
   * @param {string} person
   * @param {number} turn
   * @param {string[]} own leads of the person
   */
  async #request(person, turn, own) {
    const phase = this.#phase;
    const id = own.length > 0 ? own[(turn * 7) % own.length] : undefined;
    const path = '/api/crm/leads';
    if (turn % 4 === 0 || id === undefined) {
      const answer = await this.#send(phase, person, 'POST', path, { lastName: `Lead ${turn} of ${person}` }, 201);
      if (answer === undefined) return;
      own.push(answer.id);
      this.accepted.push(answer.id);
    } else if (turn % 4 === 2) {
      await this.#send(phase, person, 'PATCH', `${path}/${id}`, { firstName: `Turn ${turn}` }, 200);
    } else if (turn % 4 === 1) await this.#send(phase, person, 'GET', `${path}/${id}`, undefined, 200);
    else await this.#send(phase, person, 'GET', `${path}?size=10`, undefined, 200);
  }

  /**
   * @param {Phase & { failures: Failure[] }} phase
   * @param {string} person
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @param {number} expected
   * @returns {Promise<any>} the answer's body; undefined when it failed, which is noted
   */
  async #send(phase, person, method, path, body, expected) {
    const began = performance.now();
    phase.requests += 1;
    const { status, text } = await this.#answer(person, method, path, body);
    const now = performance.now();
    phase.slowestMs = Math.max(phase.slowestMs, now - began);
    if (status !== expected) {
      phase.failures.push({ at: began, method, status, what: text.slice(0, 200) });
      return undefined;
    }
    if (method !== 'GET') {
      phase.longestGapMs = Math.max(phase.longestGapMs, now - this.#wroteAt);
      this.#wroteAt = now;
    }
    return JSON.parse(text);
  }

  /**
   * @param {string} person
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @returns {Promise<{ status: number, text: string }>} status 0 and why, when there is no whole answer
   */
  async #answer(person, method, path, body) {
    try {
      const response = await fetch(new URL(path, this.baseUrl), {
        method,
        headers: {
          authorization: `Bearer ${this.tokenOf(person)}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(GIVES_UP_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { cause, message } = /** @type {Error & { cause?: { code?: string } }} */ (error);
      return { status: 0, text: cause?.code ?? message };
    }
  }
}

/**
 * @param {string} name
 * @returns {Phase & { failures: Failure[] }}
 */
const emptyPhase = (name) => ({ name, requests: 0, failures: [], slowestMs: 0, longestGapMs: 0 });
