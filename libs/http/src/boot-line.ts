/** The implementation of each port. */
type Ports = Readonly<Record<string, object | readonly object[]>>;

/** The parts of a module's log line at the start. */
export interface BootLine {
  /** The paths that are served; empty in a process without an HTTP server. */
  readonly paths: readonly string[];
  /** The audience, such as `2 apps`, if known. */
  readonly whom?: string | undefined;
  /** Absent where the module has none. */
  readonly ports?: Ports;
}

/** `Serves /device_api/v1 for 1 instance; DeviceRepository: MemoryDeviceRepository` */
export function bootLine({ paths, whom, ports }: BootLine): string {
  const served = paths.length > 0 ? `Serves ${paths.join(', ')}` : 'Serves no HTTP';
  return `${served}${whom === undefined ? '' : ` for ${whom}`}${ports ? `; ${portNames(ports)}` : ''}`;
}

/** `AppRepository: MyApps, Broker: InProcessBroker` */
export function portNames(ports: Ports): string {
  return Object.entries(ports)
    .map(([port, implementations]) => `${port}: ${[implementations].flat().map(nameOf).join(', ')}`)
    .join(', ');
}

/** `1 app`, `2 apps` */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const nameOf = (port: object): string => port.constructor.name;
