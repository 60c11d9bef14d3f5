// Numbers for connections, unique in this process, for log lines.

export const nextConnectionId: () => number = (() => {
  let last = 0;
  return () => ++last;
})();
