# Crossgate in a container: the gateway with its embedded simulated exchange, or with a real one by configuration.
# The root file system may be read-only: everything that is written lies in the volume.

# The release workflow gives the same image by digest.
ARG BASE_IMAGE=node:24-bookworm-slim

FROM ${BASE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Parts that only a compiler, a browser or a debugger reads; 100 MB, most of it in jspurefix.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && rm -rf node_modules/jspurefix/src node_modules/jspurefix/docs node_modules/jspurefix/data/examples \
    node_modules/jspurefix/data/fix_repo.zip node_modules/mathjs/lib/browser node_modules/mathjs/lib/esm

# What the sources compile to, kept for the user below: a start takes a second less, and a command a third.
FROM ${BASE_IMAGE} AS compiled
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
RUN mkdir node_modules/.cache && chown node:node node_modules/.cache
USER 1000:1000
# Help reads the sources of every command. V8 keeps compiled sources apart by its flags: once for the gateway, once for commands.
RUN ["node", "--max-semi-space-size=8", "--heap-growing-percent=200", "--max-inlined-bytecode-size-cumulative=2500", "--no-flush-bytecode", "--use-largepages=silent", "src/cli/crossgate.js", "--help"]
RUN ["node", "src/cli/crossgate.js", "--help"]
# What runs is not for the one to change who runs it.
USER 0:0
RUN chown -R root:root node_modules/.cache && chmod -R a+rX,a-w node_modules/.cache

# The documentation, which the gateway serves at /docs.
FROM ${BASE_IMAGE} AS site
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY .ci/site.mjs .ci/api-pages.mjs ./.ci/
COPY docs ./docs
COPY src ./src
RUN ["node", ".ci/site.mjs"]

FROM ${BASE_IMAGE}
# Reached from outside the container, and nowhere else.
ENV NODE_ENV=production \
    CROSSGATE_STATE=/app/.crossgate \
    CROSSGATE_SAMPLES=/app/samples \
    CROSSGATE_FIX_HOST=0.0.0.0 \
    CROSSGATE_SIMULATOR_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY dictionaries ./dictionaries
COPY sessions ./sessions
# Once more, where nobody mounts anything: what still is the same is said not to be the operator's own.
COPY sessions ./samples
COPY src ./src
COPY --from=compiled /app/node_modules/.cache ./node_modules/.cache
COPY --from=site /app/dist/docs ./dist/docs
# `docker run IMAGE crossgate certification serve`.
RUN ln -s /app/src/cli/crossgate.js /usr/local/bin/crossgate
# The volume takes over this folder's owner and mode when it is first mounted: journal and secrets are nobody else's.
RUN mkdir -p -m 700 /app/.crossgate && chown node:node /app/.crossgate
# The user node, by its number: Kubernetes (runAsNonRoot) does not believe a name.
USER 1000:1000
VOLUME ["/app/.crossgate"]
EXPOSE 9876 9877 8480
# Heard from the first moment on only with an init before it (`docker run --init`).
STOPSIGNAL SIGTERM
# Alive means: the gateway answers where it said that it would, whatever its ports are; or that it said it answers nowhere.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const {url}=JSON.parse(require('node:fs').readFileSync(process.env.CROSSGATE_STATE+'/admin.json','utf8'));if(url===null)process.exit(0);require(url.startsWith('https')?'node:https':'node:http').get(new URL('/healthz',url),{agent:false,rejectUnauthorized:false},({statusCode})=>process.exit(statusCode===200?0:1)).on('error',()=>process.exit(1))"]
# As `npm start` does.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=200", "--max-inlined-bytecode-size-cumulative=2500", "--no-flush-bytecode", "--use-largepages=silent", "src/cli/crossgate.js", "start", "--log", "json"]
