/** The place that a connection is made to. */
export interface Target {
  host: string;
  port: number;
}
