// Runs the public HTTP caching suite (github.com/http-tests/cache-tests) against `calo http-cache-proxy`, as a private
// cache: node scripts/cache-suite.mjs SUITE CALO
//
// SUITE is a checkout of the suite, which is no part of this project; CALO is the program. Starts the suite's origin and
// the proxy, runs the tests, prints the counts and each failure, and stops what it started. The suite's origin listens on
// all interfaces while it runs.
//
// Exit status: 0 if all required tests pass; 1 if one doesn't; 2 for arguments that make no sense.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [suite, calo] = process.argv.slice(2).map(path => resolve(path))
if (!calo || !existsSync(join(suite, 'test-engine/cli.mjs'))) {
  console.error('usage: node scripts/cache-suite.mjs SUITE CALO    (SUITE: a checkout of http-tests/cache-tests)')
  process.exit(2)
}
const [originPort, proxyPort] = [8300, 8301]

// What is for shared caches alone: s-maxage, private, Authorization and proxy-revalidate (RFC 9111 sections 3.5, 5.2.2.7,
// 5.2.2.8 and 5.2.2.10). The suite marks what is for CDNs itself.
const sharedOnly = new Set([
  'freshness-s-maxage-shared', 'freshness-max-age-s-maxage-shared-longer',
  'freshness-max-age-s-maxage-shared-longer-reversed', 'freshness-max-age-s-maxage-shared-longer-multiple',
  'freshness-max-age-s-maxage-shared-shorter', 'freshness-max-age-s-maxage-shared-shorter-expires',
  'cc-resp-private-shared', 'other-authorization', 'other-authorization-public',
  'other-authorization-must-revalidate', 'other-authorization-smaxage', 'stale-close-proxy-revalidate',
  'stale-close-s-maxage=2'
])
// The suite's own dependency, by which it sees interim responses.
const seesInterim = existsSync(join(suite, 'node_modules/undici'))

const children = []
function start (program, args, env = {}) {
  const child = spawn(program, args, { cwd: suite, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] })
  children.push(child)
}
process.on('exit', () => children.forEach(child => child.kill()))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

function isListening (port) {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => { socket.destroy(); resolve(true) })
    socket.once('error', () => resolve(false))
  })
}
async function waitFor (port, what) {
  for (let count = 0; count < 100; count++) {
    if (await isListening(port)) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  console.error(`${what} doesn't listen on port ${port}.`)
  process.exit(1)
}
for (const port of [originPort, proxyPort]) {
  if (await isListening(port)) {
    console.error(`Port ${port} is in use.`)
    process.exit(1)
  }
}
start(process.execPath, ['test-engine/server/server.mjs'], {
  npm_config_protocol: 'http', npm_config_port: String(originPort), npm_config_pidfile: '/dev/null'
})
await waitFor(originPort, 'The suite\'s origin')
start(calo, ['http-cache-proxy', '--listen', `127.0.0.1:${proxyPort}`, '--origin', `http://127.0.0.1:${originPort}`])
await waitFor(proxyPort, 'The proxy')

const load = path => import(pathToFileURL(join(suite, path)).href)
const suites = (await load('tests/index.mjs')).default
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')

const chosen = suites.map(group => ({
  ...group,
  tests: group.tests.filter(test => {
    const needsInterim = test.requests.some(request => 'expected_interim_responses' in request)
    return !test.cdn_only && !sharedOnly.has(test.id) && (seesInterim || !needsInterim)
  })
})).filter(group => group.tests.length)
// Those for browsers are for private caches. A browser that reloads says max-age=0; fetch() here has no cache that would.
for (const group of chosen) for (const test of group.tests) delete test.browser_only
const plainFetch = globalThis.fetch
globalThis.fetch = (url, options = {}) => {
  if (options.cache !== 'no-cache') return plainFetch(url, options)
  const own = new Set(['pragma', 'cache-control'])
  const headers = options.headers.filter(([name]) => !own.has(name.toLowerCase()))
  return plainFetch(url, { ...options, cache: 'no-store', headers: [...headers, ['Cache-Control', 'max-age=0'], ['Pragma', 'foo']] })
}

await runTests(chosen, false, `http://127.0.0.1:${proxyPort}`)
const results = getResults()
let hasFailed = false
for (const kind of ['required', 'optimal']) {
  const tests = chosen.flatMap(group => group.tests).filter(test => (test.kind ?? 'required') === kind)
  const failed = tests.filter(test => determineTestResult(suites, test.id, results) !== resultTypes.pass)
  console.log(`${kind}: ${tests.length - failed.length} of ${tests.length} pass`)
  for (const test of failed) console.log(`  ${test.id}: ${(results[test.id]?.[1] ?? 'a test that it depends on fails')}`)
  if (kind === 'required' && failed.length) hasFailed = true
}
if (!seesInterim) console.log('Left out: the tests of interim responses, for which the suite needs undici (npm install).')
process.exit(hasFailed ? 1 : 0)
