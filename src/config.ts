import type { BeforeHook } from './check/before-hook.ts';
import type { CheckCommand } from './check/options.ts';
import type { Options } from './server/options.ts';

/** Options that the configuration has as texts, or that it does not have. */
type OtherOptions = 'annotationsFor' | 'isFresh' | 'sandboxHeaders' | 'rate' | 'csrf';

/** Settings of `storefront check`, by the names of its options. */
export interface CheckConfig extends Partial<Omit<CheckCommand, OtherOptions>> {
  /** The maximum request rate: requests in a second, or a text such as `300/m`. */
  readonly rate?: number | string;
  /** The cookie and the header of a CSRF token, such as `XSRF-TOKEN:X-XSRF-TOKEN`. */
  readonly csrf?: string;
  readonly before?: BeforeHook;
}

/** The content of a configuration file: the options of the server, and the settings of `storefront check`. */
export interface Config extends Options {
  readonly check?: CheckConfig;
}

/** Returns a configuration unchanged. Editors know the names and the types of its properties. */
export function defineConfig(config: Config): Config {
  return config;
}
