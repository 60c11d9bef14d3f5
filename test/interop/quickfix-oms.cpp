// An order management system on QuickFIX C++, for the interoperability tests: takes one command per line on stdin, says one
// event per line on stdout. It keeps its numbers and messages in QuickFIX's file store, so that it can be killed and
// started again, or in memory. What is expected of the gateway stands in the tests.
//
//   quickfix-oms HOST PORT SENDER TARGET PASSWORD STORE_FOLDER|memory DICTIONARY RESET(Y|N) [BEGINSTRING [TRANSPORT_DICTIONARY|- [lenient]]]
//
// or with a settings file of its own, with one session, whose stores stand where it says:
//
//   quickfix-oms settings FILE PASSWORD
//
// BEGINSTRING is FIX.4.4 unless given; FIXT.1.1 speaks FIX.5.0SP2 and takes a dictionary of its own for session messages.
// `lenient` takes fields that the dictionary does not have, as the exchange recommends.
//
//   order CLORDID ACCOUNT SYMBOL SIDE QTY ORDTYPE PRICE|- TIF|-      in RAW     a message off the wire
//   cancel CLORDID ORIGCLORDID ACCOUNT SYMBOL SIDE QTY               out RAW    a message onto the wire
//   market ID 263 264 265|- SYMBOL TYPES   MarketDataRequest(V), a character per MDEntryType(269)
//   raw TAG=VALUE|TAG=VALUE|...   any message, 35 first              app RAW    a message delivered to the application
//                                 COUNT:TAG=VALUE,TAG=VALUE is an entry of a group
//   logout                                                           event TEXT, logon, logout
//   relogon, reset   log out and on again, with the numbers or with both at 1
//   drop             end the connection without a Logout; it is made again by itself
//
// HEARTBTINT in the environment is HeartBtInt(108), 30 unless given.

#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Log.h>
#include <quickfix/Message.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketInitiator.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

void say(const std::string &kind, std::string text) {
  static std::mutex one;
  std::lock_guard<std::mutex> hold(one);
  std::replace(text.begin(), text.end(), '\001', '|');
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::cout << kind << (text.empty() ? "" : " ") << text << std::endl;
}

class LineLog : public FIX::Log {
public:
  void clear() override {}
  void backup() override {}
  void onIncoming(const std::string &raw) override { say("in", raw); }
  void onOutgoing(const std::string &raw) override { say("out", raw); }
  void onEvent(const std::string &text) override { say("event", text); }
};

class LineLogFactory : public FIX::LogFactory {
public:
  FIX::Log *create() override { return new LineLog; }
  FIX::Log *create(const FIX::SessionID &) override { return new LineLog; }
  void destroy(FIX::Log *log) override { delete log; }
};

class Oms : public FIX::Application {
public:
  explicit Oms(std::string password) : password_(std::move(password)) {}
  void onCreate(const FIX::SessionID &) override {}
  void onLogon(const FIX::SessionID &) override { say("logon", ""); }
  void onLogout(const FIX::SessionID &) override { say("logout", ""); }
  void toAdmin(FIX::Message &message, const FIX::SessionID &) override {
    if (message.getHeader().getField(35) == "A") message.setField(554, password_);
  }
  void toApp(FIX::Message &, const FIX::SessionID &) throw(FIX::DoNotSend) override {}
  void fromAdmin(const FIX::Message &, const FIX::SessionID &)
      throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {}
  void fromApp(const FIX::Message &message, const FIX::SessionID &)
      throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::UnsupportedMessageType) override {
    say("app", message.toString());
  }

private:
  std::string password_;
};

void stamp(FIX::Message &message) {
  FIX::UtcTimeStamp now;
  message.setField(60, FIX::UtcTimeStampConvertor::convert(now, 3));
}

void set(FIX::Message &message, int tag, const std::string &value) {
  if (value != "-") message.setField(tag, value);
}

FIX::Message order(std::istringstream &words) {
  std::string clOrdID, account, symbol, side, qty, ordType, price, timeInForce;
  words >> clOrdID >> account >> symbol >> side >> qty >> ordType >> price >> timeInForce;
  FIX::Message message;
  message.getHeader().setField(35, "D");
  set(message, 11, clOrdID);
  set(message, 1, account);
  set(message, 55, symbol);
  set(message, 54, side);
  set(message, 38, qty);
  set(message, 40, ordType);
  set(message, 44, price);
  set(message, 59, timeInForce);
  stamp(message);
  return message;
}

FIX::Message cancel(std::istringstream &words) {
  std::string clOrdID, origClOrdID, account, symbol, side, qty;
  words >> clOrdID >> origClOrdID >> account >> symbol >> side >> qty;
  FIX::Message message;
  message.getHeader().setField(35, "F");
  set(message, 11, clOrdID);
  set(message, 41, origClOrdID);
  set(message, 1, account);
  set(message, 55, symbol);
  set(message, 54, side);
  set(message, 38, qty);
  stamp(message);
  return message;
}

FIX::Message marketData(std::istringstream &words) {
  std::string id, subscription, depth, update, symbol, types;
  words >> id >> subscription >> depth >> update >> symbol >> types;
  FIX::Message message;
  message.getHeader().setField(35, "V");
  message.setField(262, id);
  message.setField(263, subscription);
  message.setField(264, depth);
  if (update != "-") message.setField(265, update);
  for (const char type : types) {
    FIX::Group entry(267, 269);
    entry.setField(269, std::string(1, type));
    message.addGroup(entry);
  }
  FIX::Group instrument(146, 55);
  instrument.setField(55, symbol);
  message.addGroup(instrument);
  return message;
}

void addEntry(FIX::Message &message, const std::string &entry) {
  const auto colon = entry.find(':');
  std::istringstream fields(entry.substr(colon + 1));
  std::string field;
  std::vector<std::pair<int, std::string>> members;
  std::vector<int> order;
  while (std::getline(fields, field, ',')) {
    const auto equals = field.find('=');
    members.emplace_back(std::atoi(field.substr(0, equals).c_str()), field.substr(equals + 1));
    order.push_back(members.back().first);
  }
  order.push_back(0);
  FIX::Group group(std::atoi(entry.substr(0, colon).c_str()), order.front(), order.data());
  for (const auto &member : members) group.setField(member.first, member.second);
  message.addGroup(group);
}

FIX::Message any(std::istringstream &words) {
  std::string rest, field;
  std::getline(words, rest);
  std::istringstream fields(rest.substr(std::min(rest.size(), rest.find_first_not_of(' '))));
  FIX::Message message;
  while (std::getline(fields, field, '|')) {
    const auto equals = field.find('=');
    if (equals == std::string::npos) continue;
    if (field.find(':') < equals) {
      addEntry(message, field);
      continue;
    }
    const int tag = std::atoi(field.substr(0, equals).c_str());
    const auto value = field.substr(equals + 1);
    if (tag == 35 || tag == 50 || tag == 57 || tag == 97 || tag == 115) message.getHeader().setField(tag, value);
    else message.setField(tag, value);
  }
  return message;
}

std::string beginString(const std::vector<std::string> &argument) {
  return argument.size() > 9 ? argument[9] : "FIX.4.4";
}

std::string heartBtInt() {
  const char *given = std::getenv("HEARTBTINT");
  return given == nullptr ? "30" : given;
}

FIX::SessionSettings settings(const std::vector<std::string> &argument) {
  std::ostringstream text;
  text << "[DEFAULT]\nConnectionType=initiator\nReconnectInterval=1\nHeartBtInt=" << heartBtInt() << "\nStartTime=00:00:00\nEndTime=00:00:00\n"
       << "LogonTimeout=5\nLogoutTimeout=5\nUseDataDictionary=Y\nMillisecondsInTimeStamp=Y\n"
       << "[SESSION]\nBeginString=" << beginString(argument) << "\nSocketConnectHost=" << argument[1] << "\nSocketConnectPort=" << argument[2]
       << "\nSenderCompID=" << argument[3] << "\nTargetCompID=" << argument[4] << "\nFileStorePath=" << argument[6]
       << "\nResetOnLogon=" << argument[8] << "\n";
  if (argument.size() > 11) text << "AllowUnknownMsgFields=Y\nValidateUserDefinedFields=N\n";
  if (argument.size() > 10 && argument[10] != "-") {
    text << "DefaultApplVerID=FIX.5.0SP2\nAppDataDictionary=" << argument[7] << "\nTransportDataDictionary=" << argument[10] << "\n";
  } else {
    text << "DataDictionary=" << argument[7] << "\n";
  }
  std::istringstream stream(text.str());
  return FIX::SessionSettings(stream);
}

// Waits up to ten seconds.
void waitUntil(FIX::Session *session, bool loggedOn) {
  for (int i = 0; i < 1000 && session->isLoggedOn() != loggedOn; i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void relogon(FIX::Session *session, bool resets) {
  session->setResetOnLogon(resets);
  session->logout();
  waitUntil(session, false);
  session->logon();
  waitUntil(session, true);
  session->setResetOnLogon(false);
}

void serve(const FIX::SessionID &session) {
  std::string line, command;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> command;
    FIX::Message message;
    if (command == "order") message = order(words);
    else if (command == "cancel") message = cancel(words);
    else if (command == "market") message = marketData(words);
    else if (command == "raw") message = any(words);
    else if (command == "logout") break;
    else if (command == "relogon" || command == "reset") {
      relogon(FIX::Session::lookupSession(session), command == "reset");
      continue;
    } else if (command == "drop") {
      FIX::Session::lookupSession(session)->disconnect();
      continue;
    }
    else {
      say("event", "unknown command: " + line);
      continue;
    }
    FIX::Session::sendToTarget(message, session);
  }
}

}  // namespace

int main(int count, char **values) {
  const std::vector<std::string> argument(values, values + count);
  const bool hasFile = count == 4 && argument[1] == "settings";
  if (count < 9 && !hasFile) {
    std::cerr << "usage: quickfix-oms HOST PORT SENDER TARGET PASSWORD STORE_FOLDER DICTIONARY RESET" << std::endl;
    return 2;
  }
  try {
    Oms oms(hasFile ? argument[3] : argument[5]);
    const FIX::SessionSettings configured = hasFile ? FIX::SessionSettings(argument[2]) : settings(argument);
    std::unique_ptr<FIX::MessageStoreFactory> store;
    if (!hasFile && argument[6] == "memory") store.reset(new FIX::MemoryStoreFactory);
    else store.reset(new FIX::FileStoreFactory(configured));
    LineLogFactory log;
    FIX::SocketInitiator initiator(oms, *store, configured, log);
    initiator.start();
    serve(hasFile ? *configured.getSessions().begin() : FIX::SessionID(beginString(argument), argument[3], argument[4]));
    initiator.stop();
    return 0;
  } catch (const std::exception &error) {
    say("event", std::string("failed: ") + error.what());
    return 1;
  }
}
