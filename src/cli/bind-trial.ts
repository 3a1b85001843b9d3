// Tries whether the worker could listen at a host and port.
import { type AddressInfo, createServer } from "node:net";
import { codeOf } from "../core/error-code.ts";

export type BindTrial = { is: "bound"; address: string } | { is: "refused"; code: string };

/** Binds `host` for a moment, at any free port for 0: the address that it stands for, or the code of the error. */
export function tryBind(host: string, port: number): Promise<BindTrial> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve({ is: "refused", code: codeOf(error) || error.name }));
    server.listen({ host, port, exclusive: true }, () => {
      const { address } = server.address() as AddressInfo;
      server.close(() => resolve({ is: "bound", address }));
    });
  });
}
