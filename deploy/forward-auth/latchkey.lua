-- Checks each request with Latchkey, for haproxy.cfg: http-request lua.latchkey <the address of Latchkey>

local IDENTITY = {
  "x-latchkey-owner", "x-latchkey-key", "x-latchkey-access", "x-latchkey-permissions", "x-latchkey-attributes"
}
local PASSED_ON = { "content-type", "www-authenticate", "retry-after", "ratelimit-policy", "ratelimit", "cache-control" }
local REFUSALS = { [401] = true, [403] = true, [429] = true, [503] = true }

-- Every value of a header, so that Latchkey notices two of them. HAProxy counts them from 0.
local function values(headers, name)
  local found = {}
  for index = 0, #(headers[name] or {}) do
    found[#found + 1] = headers[name] and headers[name][index]
  end
  return found
end

-- Passes a refusal on. Any other answer is not Latchkey's: HAProxy answers in HTML for a server that is unavailable.
local function refuse(txn, answer)
  local isRefusal = REFUSALS[answer.status] and values(answer.headers, "content-type")[1] == "application/json"
  if not isRefusal then return end
  local reply = txn:reply({ status = answer.status, body = answer.body })
  for _, name in ipairs(PASSED_ON) do
    for _, value in ipairs(values(answer.headers, name)) do reply:add_header(name, value) end
  end
  txn:done(reply)
end

local function authorize(txn, address)
  local sent = txn.http:req_get_headers()
  local request = {
    url = "http://127.0.0.1/v1/forward-auth?mode=haproxy",
    dst = address,
    timeout = 3000,
    headers = {
      ["authorization"] = values(sent, "authorization"),
      -- ["x-api-key"] = values(sent, "x-api-key"),
      -- By which Latchkey knows a browser, for the form basic.
      ["origin"] = values(sent, "origin"),
      ["sec-fetch-site"] = values(sent, "sec-fetch-site"),
      ["upgrade-insecure-requests"] = values(sent, "upgrade-insecure-requests"),
      ["user-agent"] = values(sent, "user-agent"),
      ["x-forwarded-for"] = { txn.f:src() },
      ["x-forwarded-host"] = values(sent, "host"),
      ["x-forwarded-method"] = { txn.f:method() },
      ["x-forwarded-uri"] = { txn.f:pathq() },
    },
  }
  return core.httpclient():get(request)
end

core.register_action("latchkey", { "http-req" }, function(txn, address)
  local answer = authorize(txn, address)
  if not answer then return end
  if answer.status ~= 200 then return refuse(txn, answer) end
  for _, name in ipairs(IDENTITY) do
    txn.http:req_set_header(name, values(answer.headers, name)[1] or "")
  end
  txn:set_var("txn.latchkey_limit", values(answer.headers, "ratelimit-policy")[1])
  txn:set_var("txn.latchkey_left", values(answer.headers, "ratelimit")[1])
  txn:set_var("txn.latchkey_expires", values(answer.headers, "latchkey-key-expires")[1])
  txn:set_var("txn.latchkey_exposed", values(answer.headers, "access-control-expose-headers")[1])
  txn:set_var("txn.latchkey_granted", values(answer.headers, "x-latchkey-owner")[1] ~= nil)
end, 1)
